-- Tamper evidence: each version carries the hash of what it says and of the version before. What is hashed is text, one
-- fact a line, so that whoever has an export can work it out again; docs/backup.md has the recipe.

-- Stable and not immutable, because convert_to is: so they are inlined into the statements that use them.
create function carnet_sha256(body text) returns bytea language sql stable parallel safe
return sha256(convert_to(body, 'UTF8'));

create function carnet_content_hash(owner_id uuid, upto integer, model_upto integer, own_fields text[], data jsonb)
returns bytea language sql stable parallel safe
return carnet_sha256(owner_id::text || E'\n' || upto::text || E'\n' || coalesce(model_upto::text, '') || E'\n'
  || coalesce(to_jsonb(own_fields)::text, '') || E'\n' || data::text);

-- What of a passport never changes: it stands in the place of the version before the first.
create function carnet_birth_hash(id uuid, level "char", category text, model_id uuid, parent_id uuid, lot text, serial text)
returns bytea language sql stable parallel safe
return carnet_sha256(id::text || E'\n' || level::text || E'\n' || category || E'\n' || model_id::text || E'\n'
  || coalesce(parent_id::text, '') || E'\n' || coalesce(lot, '') || E'\n' || coalesce(serial, ''));

create function carnet_version_facts(version_no integer, kind "char", created_at timestamptz, created_by integer,
  content_hash bytea, own jsonb, note text, changed text[])
returns text language sql stable parallel safe
return version_no::text || E'\n' || kind::text || E'\n'
  || to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || E'\n' || created_by::text || E'\n'
  || encode(content_hash, 'hex') || E'\n' || coalesce(own::text, '') || E'\n' || coalesce(to_jsonb(note)::text, '') || E'\n'
  || coalesce(to_jsonb(changed)::text, '');

create function carnet_link(before bytea, facts text) returns bytea language sql stable parallel safe
return carnet_sha256(encode(before, 'hex') || E'\n' || facts);

-- The first 48 bits of an id are the milliseconds of its making.
create function carnet_created_at(id uuid) returns timestamptz language sql stable parallel safe
return timestamptz 'epoch' + ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint * interval '1 millisecond';

-- Over the versions of a passport in their order, the hash that each should have.
create function carnet_chain_step(so_far bytea, birth bytea, facts text) returns bytea language sql stable parallel safe
return carnet_link(coalesce(so_far, birth), facts);
create aggregate carnet_chain(bytea, text) (sfunc = carnet_chain_step, stype = bytea);

-- A rewrite by `using` reaches the rows that no update may.
alter table content add column hash bytea;
alter table content alter column hash type bytea using carnet_content_hash(owner_id, upto, model_upto, own_fields, data);
alter table content alter column hash set not null;

create function carnet_seal_content() returns trigger language plpgsql as $$
begin
  new.hash := carnet_content_hash(new.owner_id, new.upto, new.model_upto, new.own_fields, new.data);
  return new;
end $$;
create trigger content_is_sealed before insert on content for each row when (new.hash is null)
execute function carnet_seal_content();

alter table passport_version add column hash bytea;
alter table passport_version disable trigger version_is_kept;
update passport_version v set hash = made.hash
from (
  select w.passport_id, w.version_no, w.account_id,
    carnet_chain(carnet_birth_hash(p.id, p.level, p.category, p.model_id, p.parent_id, p.lot, p.serial),
      carnet_version_facts(w.version_no, w.kind, w.created_at, w.created_by, c.hash, w.own, w.note, w.changed))
      over (partition by w.passport_id, w.account_id order by w.version_no) as hash
  from passport_version w
  join passport p on p.id = w.passport_id and p.account_id = w.account_id
  join content c on c.id = w.content_id and c.account_id = w.account_id
) made
where made.passport_id = v.passport_id and made.version_no = v.version_no and made.account_id = v.account_id;
alter table passport_version enable trigger version_is_kept;
alter table passport_version alter column hash set not null;
