// Tags of ASN.1 by name. Each is a constant of its own, so that bundlers leave out those that a
// receiver does not need.
export const integer = 0x02;
export const bits = 0x03;
export const octets = 0x04;
export const none = 0x05;
export const oid = 0x06;
export const sequence = 0x30;
