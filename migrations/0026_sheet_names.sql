-- Names that a check read as others, or did not know. A server of the version before passes over it.
alter table sheet_chunk add column names text;  -- JSON: see src/transfer/name-notes.ts
