-- shared
-- formerly cb5dc9422872a548d10293f6b8c0234703ab559e6b5886185df3dc8547857b21
-- The accounts whose public pages show a file. Servers write a row when somebody first asks for its address.
create table public_media (
  media_id   bytea primary key,
  account_id integer not null references account,
  width      integer,                     -- pixels of a picture as it was sent
  name       text not null                -- of a document, for people who store it
);
