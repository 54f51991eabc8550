-- shard
-- Fetches that have ended are deleted 30 days later, by their age. The other tasks that delete or mend by time read small
-- tables: rate_share has the keys of the last minute, and an index by its end would cost each report of a share a second
-- write; an account has at most 20 webhook endpoints.
create index media_fetch_ended on media_fetch (created_at) where status <> 'f';
