-- The shares of a key after one process has told its own: [held, free, waiting, per minute, over at, next use over at].
-- It holds `waiting` more then, and some to spare, as far as the minute reaches.
create or replace function public.carnet_share(shares jsonb, process text, told jsonb, now_ms bigint)
returns jsonb language plpgsql immutable as $$
declare
  held       integer := (told->>0)::integer;
  free       integer := (told->>1)::integer;
  waiting    integer := (told->>2)::integer;
  per_minute bigint  := (told->>3)::bigint;
  spread     bigint;
  reserve    bigint;
  spare      bigint;
  others     bigint;
  unused     bigint;
  room       bigint;
  taken      bigint := 0;
  kept       jsonb;
begin
  -- A process that is silent is gone; times far ahead are of a clock that has been put back since.
  select coalesce(jsonb_object_agg(key, value), '{}'), coalesce(sum((value->>0)::bigint), 0), greatest(3, count(*))
  into kept, others, spread
  from jsonb_each(shares)
  where key <> process and (value->>0)::bigint > 0
    and (value->>3)::bigint > now_ms and (value->>2)::bigint <= now_ms + 100000;
  reserve := per_minute * 7 / (100 * spread);
  if waiting > 0 then
    -- Near the limit less is given to spare. What may lie idle with the others is within 7 in 100; what of it is beyond
    -- 5 in 100 is made good by going over the limit, by 2 in 100 at most. None of theirs gets free before a use is over.
    spare := case when (others + held) * 10 <= per_minute * 8 then reserve else per_minute * 5 / (100 * spread) end;
    select coalesce(sum(case
      when now_ms < coalesce(nullif((value->>4)::bigint, 0), (value->>2)::bigint + 60000) then (value->>1)::bigint
      else least((value->>0)::bigint, greatest((value->>1)::bigint, reserve)) end), 0)
    into unused from jsonb_each(kept);
    room := per_minute + least(greatest(unused - per_minute * 5 / 100, 0), per_minute * 2 / 100) - others - held;
    taken := greatest(least(waiting + spare - free, room), 0);
  end if;
  return kept || jsonb_build_object(process,
    jsonb_build_array(held + taken, greatest(free + taken - waiting, 0), now_ms, told->4, told->5, told));
end $$;
