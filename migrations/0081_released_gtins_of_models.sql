-- shared
-- A mirror and an export look up the released GTINs of each hundred passports.
create index released_gtin_model on released_gtin (account_id, model_id);
