-- What happened, written in the transaction that made it happen: an event is announced exactly when its cause is kept.

create table event (
  created_at timestamptz not null,
  account_id integer not null,
  id         uuid not null,
  type       text not null,
  data       jsonb not null,
  primary key (id, account_id)
);
