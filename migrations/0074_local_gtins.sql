-- shared
-- formerly f12eea1b6a2996e94d8ce754fab140ff09e0868f608358ee00cb1f22d609662e
-- Numbers that several companies use at once (restricted circulation, coupons, reserved prefixes) are claimed for one account
-- (docs/decisions/0077-numbers-that-are-not-unique.md). The key of such a claim is the GTIN-14, `@` and the account.

-- Earlier claims stay beside the new ones, because printed addresses lead to their products. They stop nobody.
insert into gtin_claim (gtin14, prefix_digits, account_id, model_id, claimed_at)
select gtin14 || '@' || account_id, prefix_digits, account_id, model_id, claimed_at from gtin_claim
where gtin14 ~ '^[0-9](?:00000[02]|0[24]|2|98[0-4]|99|00000(?:97[7-9]|9[89])|05|951)'
on conflict do nothing;
