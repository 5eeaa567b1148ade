import { postern } from "../../../lib/postern";

const handler = async (request: Request): Promise<Response> => (await postern()).fetch(request);

export {
  handler as DELETE,
  handler as GET,
  handler as HEAD,
  handler as OPTIONS,
  handler as PATCH,
  handler as POST,
  handler as PUT,
};
