-- Inserts deliveries of new events of one type, one for each endpoint that wants them. Call it before the events are
-- inserted: the trigger event_fans_out, which sessions of the previous version and those behind PgBouncer still run, then
-- inserts only missing ones.
create or replace function public.carnet_queue_deliveries(account integer, event_type text, event_ids uuid[], moments timestamptz[],
  in_background boolean)
returns void language plpgsql as $$
declare
  transaction_time timestamptz := now();
  endpoint uuid;
begin
  for endpoint in
    select w.id from webhook_endpoint w
    where w.account_id = account and w.status in ('a' /* active */, 'p' /* paused */)
      and (w.events is null or event_type = any(w.events))
  loop
    -- `least`: due at once, also if the server's clock, which gave the moments, is ahead of the database's.
    insert into webhook_delivery (due_at, account_id, attempts, background, endpoint_id, event_id)
    select least(i.moment, transaction_time), account, 0, in_background, endpoint, i.id
    from unnest(moments, event_ids) as i(moment, id);
  end loop;
end $$;
