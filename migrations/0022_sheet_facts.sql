-- What the cells of a sheet say about its columns, what a check found that it would change, and the values that an
-- account gives to every row of its sheets. A server of the version before passes over all three.
alter table sheet_import add column traits json not null default '{}';  -- see src/transfer/sheet-traits.ts
alter table sheet_chunk add column changes text;                        -- JSON: [[place in rows, product, [[field, old, new], …]], …]
alter table sheet_mapping add column constants json not null default '{}'; -- name of a column → text
