-- Inserts the deliveries of new events for sessions that do not insert them by carnet_queue_deliveries: those of the previous
-- version and those behind PgBouncer. Recalls are sent only to endpoints that name them: see `NAMED_EVENT_TYPES`. Plans by
-- index alone, whatever the statistics say of tables that are empty most of the time.
create or replace function public.carnet_fan_out() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  -- `least`: due at once, also if the server's clock, which gave the time, is ahead of the database's.
  insert into webhook_delivery (due_at, account_id, attempts, background, endpoint_id, event_id)
  select least(e.created_at, now()), e.account_id, 0, e.background, w.id, e.id
  from written e join webhook_endpoint w on w.account_id = e.account_id
  where w.status in ('a' /* active */, 'p' /* paused */)
    and (w.events is null and e.type not in ('product.recalled', 'product.recall_ended', 'product.event_added')
      or e.type = any(w.events))
  on conflict do nothing;
  return null;
end $$;
