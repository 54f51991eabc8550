-- Returns the key of a claim: the GTIN-14, for a number that several companies use also `@` and the account
-- (docs/decisions/0077-numbers-that-are-not-unique.md). The pattern is LOCAL_GTIN_PATTERN in src/gs1/gtin-kind.ts.
create or replace function public.carnet_claim_key(gtin text, account integer) returns text language sql immutable as $$
  select case when gtin ~ '^[0-9](?:00000[02]|0[24]|2|98[0-4]|99|00000(?:97[7-9]|9[89])|05|951)' then gtin || '@' || account else gtin end
$$;
