-- formerly ecf02c84cecef411e20d380a62fd1cf5991e678d33626e18ef52393c4c37b202
-- What the scan pages of the console ask for, so that each answer takes as long with a million passports as with ten.

-- A model's scans with those of all its units, over 1, 8 and 64 days. The most scanned of a range are among the first
-- few of its spans; `magnitude`, the bits of `scans`, finds these and changes so seldom that counting on rewrites no
-- index.
create table scan_model_span (
  account_id integer not null,
  first_day  date not null,
  scans      bigint not null,
  model_id   uuid not null,
  days       smallint not null,
  magnitude  smallint not null,
  primary key (model_id, days, first_day, account_id)
) with (fillfactor = 70);
create index scan_model_span_most on scan_model_span (account_id, days, first_day, magnitude desc);
create index scan_model_span_day on scan_model_span using brin (first_day);

insert into scan_model_span (account_id, first_day, scans, model_id, days, magnitude)
select d.account_id, date '1970-01-01' + l.days * (d.since / l.days), sum(d.scans), d.passport_id, l.days,
  carnet_bits(sum(d.scans)::bigint)
from (select s.*, s.day - date '1970-01-01' as since from scan_day s where s.scans > 0) d
join passport p on p.id = d.passport_id and p.account_id = d.account_id and p.level = 'm'
cross join (values (1::smallint), (8::smallint), (64::smallint)) as l(days)
group by 1, 2, 4, 5;

-- The codes suspected last; there are few.
create index scan_total_suspected on scan_total (account_id, suspected_at) where suspected_at is not null;

-- The newest events of scans among all others of an account.
create index event_of_scans on event (account_id, type, id) where type in ('scan.milestone', 'scan.clone_suspected');
