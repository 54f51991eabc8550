-- Undoes a statement that has failed half-way. The reason reaches the caller.
create or replace function public.carnet_refuse(reason text) returns integer language plpgsql as $$
begin
  raise exception using errcode = 'CA001', message = reason;
end $$;
