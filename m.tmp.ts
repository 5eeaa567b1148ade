import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { writtenOut, sharedParts } from "./packages/rest/src/openapi/shared-parts.ts";
for (const v of ["v1","v2"]) { const d=JSON.parse(readFileSync(`contracts/${v}/openapi.json`,"utf8")); const size=(x:unknown)=>{const t=JSON.stringify(x); return [t.length,gzipSync(t).length]};
console.log(v,"recorded",size(d),"written out",size(writtenOut(d)));
}
