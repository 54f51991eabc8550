-- shard
-- A file that a worker is fetching, in whichever process: no account has more than two of them. Null: nobody fetches it.
alter table media_fetch add column claimed_until timestamptz;
