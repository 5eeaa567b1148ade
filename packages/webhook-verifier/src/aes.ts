/**
 * The part of WebCrypto that is used. Every runtime has it, so decrypting needs no other way on
 * Node.
 */
export interface Subtle {
  importKey(format: string, key: Uint8Array, means: object, extractable: boolean, uses: string[]): Promise<object>;
  decrypt(means: object, key: object, data: Uint8Array): Promise<ArrayBuffer>;
  verify(means: string, key: object, signature: Uint8Array, data: Uint8Array): Promise<boolean>;
}

/** The platform's WebCrypto. The cast states what the interface describes. */
export const subtle = (): Subtle => (globalThis as unknown as { crypto: { subtle: Subtle } }).crypto.subtle;

/** What AES is to do besides its key. */
export type AesMeans =
  | { readonly name: "AES-CBC"; readonly iv: Uint8Array }
  | { readonly name: "AES-GCM"; readonly iv: Uint8Array; readonly additionalData: Uint8Array };

/** Decrypts with AES. It fails if the key is wrong or the data was changed, as far as the mode tells. */
export const decryptAes = async (key: Uint8Array, means: AesMeans, data: Uint8Array): Promise<Uint8Array> => {
  const taken = await subtle().importKey("raw", key, { name: means.name }, false, ["decrypt"]);
  return new Uint8Array(await subtle().decrypt(means, taken, data));
};
