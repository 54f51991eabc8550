-- Adds the hash to a content that was inserted without one.
create or replace function public.carnet_seal_content() returns trigger language plpgsql as $$
begin
  new.hash := carnet_content_hash(new.owner_id, new.upto, new.model_upto, new.own_fields, new.data);
  return new;
end $$;
