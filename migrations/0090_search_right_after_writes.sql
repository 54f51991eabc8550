-- shard
-- A search reads all new entries of the index that are not in its tree yet: up to 4 MB until an autovacuum, which comes late
-- after many writes. With 128 kB, they were 14 pages instead of 456 in a trial, and creates and changes cost as much as before.
alter index passport_search set (gin_pending_list_limit = 128);
