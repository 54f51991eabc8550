import base64
import hashlib
import hmac
import time

TOLERANCE_SECONDS = 300


def is_from_carnet(body: bytes, headers: dict, secret: str, now: float | None = None) -> bool:
    """Whether a request is from Carnet. body: the bytes as they came. headers: names in lower case."""
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()):
        return False
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    mine = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    theirs = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(mine.encode(), one.encode()) for one in theirs)


def has_service_signature(body: bytes, header: str, secret: str) -> bool:
    """The same by the header X-Service-Signature alone; it has no time in it, so keep the ids you have seen."""
    mine = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(mine.encode(), header.encode())
