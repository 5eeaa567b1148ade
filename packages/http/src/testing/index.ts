export { connectionsContract } from "./connections.ts";
export type { AdapterContract } from "./contract.ts";
export { messagesContract } from "./messages.ts";
export {
  type Answering,
  type CheckAnswer,
  type ConnectionsAdapter,
  type MessagesAdapter,
  overServer,
  type ReceivedAnswer,
} from "./trial.ts";
