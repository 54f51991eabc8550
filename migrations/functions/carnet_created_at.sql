-- Returns when an id was made: its first 48 bits are milliseconds.
create or replace function public.carnet_created_at(id uuid) returns timestamptz language sql stable parallel safe as $$
  select timestamptz 'epoch' + ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint * interval '1 millisecond'
$$;
