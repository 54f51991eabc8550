-- How an account's public pages look: name, accent, logo; and where they may be framed.

create table brand (
  account_id      integer primary key,
  version         integer not null,        -- grows with every change: pages made before are made anew
  name            text,
  accent          text,                    -- #rrggbb as it was given; pages adjust it to their ground
  logo            text,                    -- brand_logo.hash
  logo_dark       text,                    -- for dark pages; null: the other one on a light plate
  frame_ancestors text[] not null,         -- origins that may show the pages in a frame
  updated_at      timestamptz not null,
  updated_by      integer not null         -- actor
);

-- Under an address that names the bytes, so one that is replaced stays for the pages that still name it.
create table brand_logo (
  account_id integer not null,
  hash       text not null,                -- first 32 hex digits of the SHA-256 of the bytes
  type       text not null,                -- svg, png, jpg, webp
  width      integer not null,
  height     integer not null,
  bytes      bytea not null,
  kept_since timestamptz not null,         -- one that is replaced goes a day later
  primary key (account_id, hash)
);
create index brand_logo_hash on brand_logo (hash);
