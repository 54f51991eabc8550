-- shared
-- How often the operator has withdrawn a file of the account. Cached pages and documents of another number are old.
alter table account add column withdrawn_files integer not null default 0;
