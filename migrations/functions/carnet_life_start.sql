-- Returns the hash that stands in for the event before the first. `birth`: that of carnet_birth_hash.
create or replace function public.carnet_life_start(birth bytea) returns bytea language sql stable parallel safe as $$
  select public.carnet_sha256('events' || E'\n' || encode(birth, 'hex'))
$$;
