import "reflect-metadata";
import { Controller, Get, type INestApplication, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import type { Postern } from "postern";

@Controller()
class PagesController {
  @Get("*path")
  page(): string {
    return "Your own page.";
  }
}

@Module({ controllers: [PagesController] })
class AppModule {}

/** Postern below `/postern` of a NestJS 12 application on Express, in front of its body parsers. */
export const nestHost = async (postern: Postern): Promise<INestApplication> => {
  const host = await NestFactory.create(AppModule, { logger: ["error", "warn"] });
  host.use("/postern", postern.nest); // before `listen` or `init`, which add the body parsers
  return host;
};
