import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** Where tests of passkeys open the panel. */
export const panel = "http://localhost:7400";

type Asked = { challenge: string };
type Odd = { origin?: string; type?: string; isVerified?: boolean; counter?: number; userHandle?: string };

/** A passkey in software, which signs whatever a test likes. */
export function softPasskey(rpId = "localhost") {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const credentialId = randomBytes(16);
  const id = credentialId.toString("base64url");
  let uses = 0;

  const clientData = (type: string, { challenge }: Asked, origin = panel) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const authenticatorData = (flags: number, counter: number) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags]), count]);
  };

  return {
    id,
    /** A browser's answer when it makes one. */
    create(asked: Asked, { origin, type = "webauthn.create", isVerified = true }: Odd = {}) {
      const cose = Buffer.concat([
        Buffer.from("a5010203262001215820", "hex"),
        Buffer.from(x, "base64url"),
        Buffer.from("225820", "hex"),
        Buffer.from(y, "base64url"),
      ]);
      const data = Buffer.concat([
        authenticatorData(isVerified ? 0x45 : 0x41, 0),
        Buffer.alloc(16),
        Buffer.from([0, credentialId.length]),
        credentialId,
        cose,
      ]);
      const attestation = Buffer.concat([
        Buffer.from("a363666d74646e6f6e656761747453746d74a068617574684461746158", "hex"),
        Buffer.from([data.length]),
        data,
      ]);
      return {
        ...credential(id),
        response: {
          clientDataJSON: clientData(type, asked, origin).toString("base64url"),
          attestationObject: attestation.toString("base64url"),
          transports: ["internal"],
        },
      };
    },
    /** A browser's answer when it uses this one. */
    use(asked: Asked, { origin, type = "webauthn.get", isVerified = true, counter, userHandle }: Odd = {}) {
      uses++;
      const client = clientData(type, asked, origin);
      const data = authenticatorData(isVerified ? 0x05 : 0x01, counter ?? uses);
      const signature = sign("sha256", Buffer.concat([data, sha256(client)]), privateKey);
      return {
        ...credential(id),
        response: {
          clientDataJSON: client.toString("base64url"),
          authenticatorData: data.toString("base64url"),
          signature: signature.toString("base64url"),
          ...(userHandle && { userHandle: Buffer.from(userHandle).toString("base64url") }),
        },
      };
    },
  };
}

const credential = (id: string) => ({ id, rawId: id, type: "public-key" as const });
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest();
