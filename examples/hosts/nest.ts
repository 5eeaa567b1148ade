import "reflect-metadata";
import { type INestApplication, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import type { Postern } from "postern";

@Module({}) // your controllers
class AppModule {}

/** Postern below `/postern` of a NestJS 12 application on Express, in front of its body parsers. */
export const nestHost = async (postern: Postern): Promise<INestApplication> => {
  const stopping = { provide: "POSTERN", useValue: { beforeApplicationShutdown: () => postern.stop() } };
  const module = { module: AppModule, providers: [stopping] };
  const host = await NestFactory.create(module, { logger: ["error", "warn"] });
  host.use("/postern", postern.nest); // before `listen` or `init`, which add the body parsers
  host.enableShutdownHooks(); // on SIGTERM
  return host;
};
