-- shard
-- The passports of accounts that use the EU registry, each with its line. What writes a passport adds 1 to `change_no`;
-- whoever has compared the line with the passport sets `checked_no`.
create table registry_entry (
  account_id        integer not null,
  passport_id       uuid not null,
  change_no         integer not null,
  checked_no        integer not null default 0,
  state             text not null default 'none' check (state in ('none', 'incomplete', 'ready', 'exported', 'submitted',
    'pending', 'registered', 'rejected', 'deactivated')),
  level             "char",                -- null until it is checked, like the next columns
  version_no        integer,
  action            text check (action in ('register', 'update', 'deactivate')),
  missing           text[],                -- the fields that a line needs; only of incomplete ones
  line              text,                  -- JSON; null without one
  exported_no       integer,               -- the version of the last line that was exported
  registered_no     integer,               -- the last version that the registry has accepted
  registration_id   text,
  proof_valid_until timestamptz,
  message           text,                  -- of the registry, about its last result
  changed_at        timestamptz,           -- when `state` changed
  primary key (account_id, passport_id)
);
create index registry_entry_due on registry_entry (account_id, passport_id) where checked_no <> change_no;
create index registry_entry_state on registry_entry (account_id, state, level, passport_id);
create index registry_entry_proof on registry_entry (account_id, proof_valid_until) where proof_valid_until is not null;

-- How far the passports of an account have got their entries, by level and id.
create table registry_fill (
  account_id integer primary key,
  round      integer not null,             -- of account.registry_round
  seen_at    timestamptz not null,         -- transactions that began later make entries themselves
  level      "char" not null,
  after_id   uuid not null,
  is_done    boolean not null
);
