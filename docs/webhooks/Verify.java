import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Verify {
  private static final long TOLERANCE_SECONDS = 300;

  /** Whether a request is from Carnet. body: the bytes as they came. headers: names in lower case. */
  public static boolean isFromCarnet(byte[] body, Map<String, String> headers, String secret, long nowSeconds)
      throws GeneralSecurityException {
    String id = headers.getOrDefault("webhook-id", "");
    String timestamp = headers.getOrDefault("webhook-timestamp", "");
    if (!timestamp.matches("[0-9]{1,12}")) return false;
    if (Math.abs(nowSeconds - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) return false;
    byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
    byte[] head = (id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8);
    String mine = "v1," + Base64.getEncoder().encodeToString(hmac(key, head, body));
    for (String theirs : headers.getOrDefault("webhook-signature", "").split(" ")) {
      if (isSame(mine, theirs)) return true;
    }
    return false;
  }

  /** The same by the header X-Service-Signature alone; it has no time in it, so keep the ids you have seen. */
  public static boolean hasServiceSignature(byte[] body, String header, String secret)
      throws GeneralSecurityException {
    byte[] key = secret.getBytes(StandardCharsets.UTF_8);
    return isSame("sha256=" + HexFormat.of().formatHex(hmac(key, new byte[0], body)), header);
  }

  private static byte[] hmac(byte[] key, byte[] head, byte[] body) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    mac.update(head);
    return mac.doFinal(body);
  }

  private static boolean isSame(String a, String b) {
    return MessageDigest.isEqual(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
  }
}
