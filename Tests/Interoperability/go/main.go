// Records and checks through containerd's ttrpc client, which knows nothing of Latchkey.
//
// usage: interoperability HOST:PORT
// Prints a line for each thing that held, and exits with 1 at the first that didn't.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/containerd/ttrpc"
	"github.com/gogo/protobuf/proto"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The messages of schema/latchkey.proto, as far as they are used here, with the tags that this client's runtime reads.

type Transaction struct {
	TransactionID  string `protobuf:"bytes,1,opt,name=transaction_id,proto3"`
	ProductID      string `protobuf:"bytes,3,opt,name=product_id,proto3"`
	Type           int32  `protobuf:"varint,4,opt,name=type,proto3"`
	Ownership      int32  `protobuf:"varint,5,opt,name=ownership,proto3"`
	PurchaseDateMs int64  `protobuf:"varint,7,opt,name=purchase_date_ms,proto3"`
	SignedDateMs   int64  `protobuf:"varint,10,opt,name=signed_date_ms,proto3"`
}

func (m *Transaction) Reset()         { *m = Transaction{} }
func (m *Transaction) String() string { return proto.CompactTextString(m) }
func (*Transaction) ProtoMessage()    {}

type RecordTransactionRequest struct {
	CustomerID  string       `protobuf:"bytes,1,opt,name=customer_id,proto3"`
	Transaction *Transaction `protobuf:"bytes,2,opt,name=transaction,proto3"`
	AppleJSON   string       `protobuf:"bytes,9,opt,name=apple_json,proto3"`
}

func (m *RecordTransactionRequest) Reset()         { *m = RecordTransactionRequest{} }
func (m *RecordTransactionRequest) String() string { return proto.CompactTextString(m) }
func (*RecordTransactionRequest) ProtoMessage()    {}

type RecordTransactionResponse struct {
	Outcome    int32  `protobuf:"varint,1,opt,name=outcome,proto3"`
	CustomerID string `protobuf:"bytes,2,opt,name=customer_id,proto3"`
	Revision   uint64 `protobuf:"varint,3,opt,name=revision,proto3"`
}

func (m *RecordTransactionResponse) Reset()         { *m = RecordTransactionResponse{} }
func (m *RecordTransactionResponse) String() string { return proto.CompactTextString(m) }
func (*RecordTransactionResponse) ProtoMessage()    {}

type CheckAccessRequest struct {
	CustomerID  string `protobuf:"bytes,1,opt,name=customer_id,proto3"`
	Entitlement string `protobuf:"bytes,2,opt,name=entitlement,proto3"`
	AtTimeMs    int64  `protobuf:"varint,3,opt,name=at_time_ms,proto3"`
	MinRevision uint64 `protobuf:"varint,4,opt,name=min_revision,proto3"`
}

func (m *CheckAccessRequest) Reset()         { *m = CheckAccessRequest{} }
func (m *CheckAccessRequest) String() string { return proto.CompactTextString(m) }
func (*CheckAccessRequest) ProtoMessage()    {}

type CheckAccessResponse struct {
	Allowed   bool   `protobuf:"varint,1,opt,name=allowed,proto3"`
	Reason    int32  `protobuf:"varint,2,opt,name=reason,proto3"`
	Ownership int32  `protobuf:"varint,4,opt,name=ownership,proto3"`
	Revision  uint64 `protobuf:"varint,5,opt,name=revision,proto3"`
}

func (m *CheckAccessResponse) Reset()         { *m = CheckAccessResponse{} }
func (m *CheckAccessResponse) String() string { return proto.CompactTextString(m) }
func (*CheckAccessResponse) ProtoMessage()    {}

const (
	entitlements   = "latchkey.v1.Entitlements"
	applied        = 1
	duplicate      = 2
	purchased      = 1
	unknown        = 16
	nonConsumable  = 2
	ownedPurchased = 1
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: interoperability HOST:PORT")
		os.Exit(2)
	}
	connection, err := net.Dial("tcp", os.Args[1])
	held("connects", err == nil, err)
	client := ttrpc.NewClient(connection)
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()

	request := &RecordTransactionRequest{CustomerID: "ana", Transaction: &Transaction{
		TransactionID: "1000", ProductID: "lifetime", Type: nonConsumable, Ownership: ownedPurchased,
		PurchaseDateMs: 1767225600000, SignedDateMs: 1767225600000}}
	var recorded RecordTransactionResponse
	err = client.Call(ctx, entitlements, "RecordTransaction", request, &recorded)
	held("a recording is applied", err == nil && recorded.Outcome == applied && recorded.CustomerID == "ana", err, recorded)
	var again RecordTransactionResponse
	err = client.Call(ctx, entitlements, "RecordTransaction", request, &again)
	held("the same recording again is a duplicate", err == nil && again.Outcome == duplicate, err, again)

	var allowed CheckAccessResponse
	err = client.Call(ctx, entitlements, "CheckAccess",
		&CheckAccessRequest{CustomerID: "ana", Entitlement: "lifetime", MinRevision: recorded.Revision}, &allowed)
	held("the customer is allowed", err == nil && allowed.Allowed && allowed.Reason == purchased, err, allowed)
	held("the answer includes the recording", allowed.Revision >= recorded.Revision, allowed)
	var denied CheckAccessResponse
	err = client.Call(ctx, entitlements, "CheckAccess", &CheckAccessRequest{CustomerID: "bob", Entitlement: "lifetime"}, &denied)
	held("a stranger is denied, and that is no error", err == nil && !denied.Allowed && denied.Reason == unknown, err, denied)

	err = client.Call(ctx, entitlements, "MakeCoffee", &CheckAccessRequest{}, &denied)
	held("a method that doesn't exist is UNIMPLEMENTED", status.Code(err) == codes.Unimplemented, err)
	err = client.Call(ctx, entitlements, "CheckAccess", &CheckAccessRequest{Entitlement: "lifetime"}, &denied)
	held("a missing customer is INVALID_ARGUMENT", status.Code(err) == codes.InvalidArgument, err)
	err = client.Call(ctx, entitlements, "CheckAccess", &CheckAccessRequest{CustomerID: "ana", Entitlement: "lifetime"}, &allowed)
	held("the connection survives both", err == nil && allowed.Allowed, err)
}

// held prints what was to be shown, and ends the program where it wasn't.
func held(what string, holds bool, details ...interface{}) {
	if holds {
		fmt.Println("held:", what)
		return
	}
	fmt.Fprintln(os.Stderr, "failed:", what, details)
	os.Exit(1)
}
