<?php

const TOLERANCE_SECONDS = 300;

/** Whether a request is from Carnet. $body: file_get_contents('php://input'). $headers: names in lower case. */
function isFromCarnet(string $body, array $headers, string $secret, ?int $now = null): bool
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($timestamp) || abs(($now ?? time()) - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    $mine = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $theirs) {
        if (hash_equals($mine, $theirs)) {
            return true;
        }
    }
    return false;
}

/** The same by the header X-Service-Signature alone; it has no time in it, so keep the ids you have seen. */
function hasServiceSignature(string $body, string $header, string $secret): bool
{
    return hash_equals('sha256=' . hash_hmac('sha256', $body, $secret), $header);
}
