-- shared
-- The addresses with which the identifiers of documents begin; the last that was pinned is written, all are read.
create table dpp_id_base (
  base      text primary key,          -- without a slash at its end
  pinned_at timestamptz not null
);
