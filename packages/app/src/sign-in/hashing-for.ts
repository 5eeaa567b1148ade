import type { HashingFor } from "@postern/core/parts";
import { networkOf, type RequestFacts } from "@postern/rest";

/** The networks of callers take turns at password hashes. */
export const hashingFor = ({ request }: { readonly request: Pick<RequestFacts, "address"> }): HashingFor => ({
  network: networkOf(request.address),
});
