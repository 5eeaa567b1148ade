export { connectionsContract } from "./connections.ts";
export { messagesContract } from "./messages.ts";
export {
  type CheckAnswer,
  type ConnectionsAdapter,
  type MessagesAdapter,
  overServer,
  type ReceivedAnswer,
} from "./trial.ts";
