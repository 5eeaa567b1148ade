import { memoryStorage } from "@postern/core/memory";
import {
  answerStoreContract,
  auditChainContract,
  auditLogContract,
  eventStoreContract,
  forwardStoreContract,
  housekeepingContract,
  jobStoreContract,
  providerStoreContract,
  resourceRepositoryContract,
  signingKeyStoreContract,
  unitOfWorkContract,
} from "@postern/core/testing";
import { describe, test } from "vitest";

const contracts = {
  housekeepingContract,
  answerStoreContract,
  auditChainContract,
  auditLogContract,
  resourceRepositoryContract,
  eventStoreContract,
  forwardStoreContract,
  providerStoreContract,
  signingKeyStoreContract,
  jobStoreContract,
  unitOfWorkContract,
};

for (const [name, contract] of Object.entries(contracts)) {
  describe(`memoryStorage keeps the ${name}`, () => {
    for (const [promise, keep] of Object.entries(contract)) test(promise, () => keep(memoryStorage()));
  });
}
