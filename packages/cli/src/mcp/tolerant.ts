import { z } from "zod";

const tolerant = (schema: z.ZodType): z.ZodType => {
  const { description } = schema;
  const same = inner(schema);
  return description === undefined ? same : same.describe(description);
};

/**
 * The same answer as a tool gives it: of an older server it may lack members, and of a newer one it may
 * have further members and states.
 */
export const tolerantObject = <Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>): z.ZodObject =>
  z.looseObject(
    Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, tolerant(member as z.ZodType).optional()])),
  );

const inner = (schema: z.ZodType): z.ZodType => {
  if (schema instanceof z.ZodObject) return tolerantObject(schema);
  if (schema instanceof z.ZodArray) return z.array(tolerant(schema.element as z.ZodType));
  if (schema instanceof z.ZodNullable) return tolerant(schema.unwrap() as z.ZodType).nullable();
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodString) return z.string();
  if (schema instanceof z.ZodNumber) return z.number();
  return schema instanceof z.ZodBoolean ? z.boolean() : z.unknown();
};
