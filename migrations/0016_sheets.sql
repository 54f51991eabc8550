-- Sheets that are brought in: the file as rows, in the database because the machine that goes on with it need not be the
-- one that was given it.
create table sheet_import (
  account_id  integer not null references account (id),
  id          uuid not null,
  actor_id    integer not null,
  created_at  timestamptz not null,
  alive_at    timestamptz not null,
  file_name   text not null,
  encoding    text,                             -- of a CSV file
  category    text not null,
  header      json not null,
  settings    json not null,                    -- see src/transfer/import.ts
  state       text not null check (state in ('open', 'checking', 'checked', 'running', 'done', 'stopped')),
  row_count   integer not null,
  chunk_count integer not null,
  next_chunk  integer not null default 0,
  created     integer not null default 0,
  updated     integer not null default 0,
  unchanged   integer not null default 0,
  failed      integer not null default 0,
  primary key (account_id, id)
);
create index sheet_import_at_work on sheet_import (alive_at) where state in ('checking', 'running');
create index sheet_import_by_age on sheet_import (created_at);

create table sheet_chunk (
  account_id integer not null,
  import_id  uuid not null,
  no         integer not null,
  rows       text not null,                     -- JSON: [[number in the sheet, [cell, …]], …]
  faults     text,                              -- JSON: [[place in rows, [fault, …]], …] of the last check or run
  primary key (account_id, import_id, no),
  foreign key (account_id, import_id) references sheet_import (account_id, id) on delete cascade
);

-- Which column of a sheet is which field, as people of the account last said. json, because the order counts.
create table sheet_mapping (
  account_id integer not null references account (id),
  category   text not null,
  columns    json not null,
  primary key (account_id, category)
);
