-- A workbook with several sheets: which one is read is chosen where the columns are, so the file is kept until the rows
-- are written. Packed already: compressing it again is work for nothing.
alter table sheet_import
  add column sheets json not null default '[]',  -- names of those to choose from, when there are several
  add column sheet  text,                        -- the one that was read
  add column book   bytea;
alter table sheet_import alter column book set storage external;

alter table sheet_mapping add column sheet text; -- the one last chosen
