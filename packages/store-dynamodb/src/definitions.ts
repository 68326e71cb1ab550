/** The table as CloudFormation and Terraform define it, for teams that create tables themselves. */

/** Returns both definitions, each after a line that names it. */
export function tableDefinitions(table: string): string {
  return `# CloudFormation\n${cloudFormation(table)}\n# Terraform\n${terraform(table)}`;
}

function cloudFormation(table: string): string {
  return `AWSTemplateFormatVersion: "2010-09-09"
Resources:
  RunledgerTable:
    Type: AWS::DynamoDB::Table
    DeletionPolicy: Retain
    UpdateReplacePolicy: Retain
    Properties:
      TableName: ${table}
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions:
        - AttributeName: pk
          AttributeType: S
        - AttributeName: sk
          AttributeType: S
      KeySchema:
        - AttributeName: pk
          KeyType: HASH
        - AttributeName: sk
          KeyType: RANGE
      DeletionProtectionEnabled: true
      PointInTimeRecoverySpecification:
        PointInTimeRecoveryEnabled: true
      TimeToLiveSpecification:
        AttributeName: ttl
        Enabled: true
`;
}

function terraform(table: string): string {
  return `resource "aws_dynamodb_table" "runledger" {
  name                        = "${table}"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "pk"
  range_key                   = "sk"
  deletion_protection_enabled = true

  attribute {
    name = "pk"
    type = "S"
  }

  attribute {
    name = "sk"
    type = "S"
  }

  point_in_time_recovery {
    enabled = true
  }

  ttl {
    attribute_name = "ttl"
    enabled        = true
  }
}
`;
}
