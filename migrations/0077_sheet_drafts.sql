-- shard
-- Rows of an import that only lack required values, kept as drafts, and what the API would warn of. A server of the
-- version before passes over both: such rows have errors there.
alter table sheet_import add column drafted integer not null default 0; -- by a check: rows that can become drafts
alter table sheet_chunk add column warnings text;                       -- JSON: see src/transfer/spreadsheets/import/row-warnings.ts
