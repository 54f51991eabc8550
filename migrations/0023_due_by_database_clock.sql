-- A delivery is due when its event is written, by the database's clock too: the clock of a server that ran ahead made
-- deliveries wait for that time, also those of later events, whose time is never before the earlier one's.
create or replace function carnet_fan_out() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  insert into webhook_delivery (due_at, account_id, attempts, background, endpoint_id, event_id)
  select least(e.created_at, now()), e.account_id, 0, e.background, w.id, e.id
  from written e join webhook_endpoint w on w.account_id = e.account_id
  where w.status in ('a', 'p') and (w.events is null or e.type = any(w.events));
  return null;
end $$;
