-- shard
-- Pictures that an import of a spreadsheet fetches from addresses, each address once. Their status is n until
-- somebody has seen the check and starts the import.
alter table media_fetch add column import_id uuid;
alter table media_fetch add column failure text; -- why it was refused, for programs: see src/media/fetch/download-file.ts
create unique index media_fetch_import on media_fetch (account_id, import_id, md5(source_url)) where import_id is not null;
