import type { Storage } from "../ports/storage.ts";
import { answerStoreContract } from "./answer-store-contract.ts";
import { auditChainContract } from "./audit-chain-contract.ts";
import { auditLogContract } from "./audit-log-contract.ts";
import type { Contract } from "./contract.ts";
import { countStoreContract } from "./count-store-contract.ts";
import { deliveryCountsContract } from "./delivery-counts-contract.ts";
import { eventStoreContract } from "./event-store-contract.ts";
import { feedStoreContract } from "./feed-store-contract.ts";
import { forwardStoreContract } from "./forward-store-contract.ts";
import { housekeepingContract } from "./housekeeping-contract.ts";
import { jobStoreContract } from "./job-store-contract.ts";
import { noteStoreContract } from "./note-store-contract.ts";
import { planStoreContract } from "./plan-store-contract.ts";
import { providerStoreContract } from "./provider-store-contract.ts";
import { refusalStoreContract } from "./refusal-store-contract.ts";
import { resourceRepositoryContract } from "./resource-repository-contract.ts";
import { signingKeyStoreContract } from "./signing-key-store-contract.ts";
import { unitOfWorkContract } from "./unit-of-work-contract.ts";

/** The contracts that a storage keeps, by the port. Each case takes a fresh storage, with `contractResources`. */
export const storageContracts: Readonly<Record<string, Contract<Storage>>> = {
  ResourceRepository: resourceRepositoryContract,
  EventStore: eventStoreContract,
  PlanStore: planStoreContract,
  NoteStore: noteStoreContract,
  DeliveryCounts: deliveryCountsContract,
  FeedStore: feedStoreContract,
  RefusalStore: refusalStoreContract,
  CountStore: countStoreContract,
  ForwardStore: forwardStoreContract,
  ProviderStore: providerStoreContract,
  JobQueue: jobStoreContract,
  Housekeeping: housekeepingContract,
  UnitOfWork: unitOfWorkContract,
  AuditLog: auditLogContract,
  AuditChain: auditChainContract,
  AnswerStore: answerStoreContract,
  SigningKeyStore: signingKeyStoreContract,
};
