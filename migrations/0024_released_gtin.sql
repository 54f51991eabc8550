-- formerly 7e96602201c294c77a00876fe65b442fd5bb3a88ad836b1e45539f3bbe84dd30
-- A GTIN that the operator released from a model, for good: what is printed with it goes on leading to that model's
-- units, also when another product has the GTIN by then.
create table released_gtin (
  gtin14       text not null,
  account_id   integer not null,
  model_id     uuid not null,
  released_at  timestamptz not null,
  claimable_by integer,                 -- the only account that may take it; null: any
  primary key (gtin14, account_id, model_id)
);
