-- Calls carnet_share for two rows of `rate_share`. The new one holds process, report and time.
create or replace function public.carnet_share_with(shares jsonb, reported jsonb)
returns jsonb language plpgsql immutable as $$
declare
  process text;
  share   jsonb;
begin
  select key, value into process, share from jsonb_each(reported);
  return public.carnet_share(shares, process, share->5, (share->>2)::bigint);
end $$;
