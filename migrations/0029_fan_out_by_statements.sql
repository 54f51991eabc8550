-- shared
-- Statements insert the deliveries of their events themselves, and Carnet's sessions say so in a setting. The trigger remains for
-- sessions without it: those of the previous version, which rely on it, and those behind PgBouncer. A later version drops it.
drop trigger event_fans_out on public.event;
create trigger event_fans_out after insert on public.event
  referencing new table as written for each statement
  when (current_setting('carnet.announces_events', true) is distinct from 'on')
  execute function public.carnet_fan_out();
