-- shard
-- What an import says of rows that it has written, such as a picture that could not be fetched. A server of the version
-- before passes over it.
alter table sheet_chunk add column notes text;  -- JSON: [[place in rows, [error, …]], …]
