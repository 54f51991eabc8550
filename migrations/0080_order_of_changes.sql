-- shard
-- Passports that changed in one moment, as all of an import did, are read in the order in which they are listed: each page
-- of the list of changes sorted all of them.
create index passport_touched_order on passport (account_id, level, greatest(updated_at, stored_at), id)
  where updated_at > '-infinity';
drop index passport_touched;
alter index passport_touched_order rename to passport_touched;
