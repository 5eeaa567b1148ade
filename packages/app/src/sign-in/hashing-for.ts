import { networkOf, type RequestFacts } from "@postern/rest";

/** The networks of callers take turns at password hashes. */
export const hashingFor = ({ request }: { readonly request: Pick<RequestFacts, "address"> }) => ({
  network: networkOf(request.address),
});
